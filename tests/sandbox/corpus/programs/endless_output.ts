for (;;) console.log("x".repeat(4096));
