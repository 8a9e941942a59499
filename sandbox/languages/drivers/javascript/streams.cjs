"use strict";
// Makes standard output and error block when their pipe is full, as they do when they are files.
//
// Without this Node.js keeps what doesn't fit for its event loop: a program that never gets there prints nothing more,
// and one that calls process.exit() loses what it printed last.

for (const name of ["stdout", "stderr"]) {
  const { get } = Object.getOwnPropertyDescriptor(process, name);
  let stream;
  const open = () => {
    if (stream === undefined) {
      stream = get.call(process);
      stream._handle?.setBlocking?.(true);
    }
    return stream;
  };
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get: open });
}
