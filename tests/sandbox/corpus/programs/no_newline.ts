process.stdout.write("done");
