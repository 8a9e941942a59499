// What TypeScript solutions see of Node.js beside the language's own library: the globals and the modules that programs
// of this kind use, in signatures that are wide rather than exact. Modules without a body are of type any.

type BufferEncoding = "ascii" | "utf8" | "utf-8" | "utf16le" | "ucs2" | "base64" | "base64url" | "latin1" | "binary" | "hex";

declare namespace NodeJS {
  interface Timeout {
    ref(): this;
    unref(): this;
    hasRef(): boolean;
    refresh(): this;
    [Symbol.toPrimitive](): number;
  }
  type Timer = Timeout;
  type Immediate = Timeout;
  interface ErrnoException extends Error {
    errno?: number;
    code?: string;
    path?: string;
    syscall?: string;
  }
  interface EventEmitter {
    on(event: string | symbol, listener: (...args: any[]) => void): this;
    once(event: string | symbol, listener: (...args: any[]) => void): this;
    off(event: string | symbol, listener: (...args: any[]) => void): this;
    addListener(event: string | symbol, listener: (...args: any[]) => void): this;
    removeListener(event: string | symbol, listener: (...args: any[]) => void): this;
    removeAllListeners(event?: string | symbol): this;
    emit(event: string | symbol, ...args: any[]): boolean;
    listenerCount(event: string | symbol): number;
  }
  interface ReadableStream extends EventEmitter {
    readable: boolean;
    fd: number;
    isTTY?: boolean;
    read(size?: number): any;
    setEncoding(encoding: BufferEncoding): this;
    pause(): this;
    resume(): this;
    pipe<T>(destination: T, options?: { end?: boolean }): T;
    unshift(chunk: any): void;
    destroy(error?: Error): this;
    [Symbol.asyncIterator](): AsyncIterableIterator<any>;
  }
  interface WritableStream extends EventEmitter {
    writable: boolean;
    fd: number;
    isTTY?: boolean;
    columns?: number;
    write(chunk: any, callback?: (error?: Error | null) => void): boolean;
    write(chunk: any, encoding?: BufferEncoding, callback?: (error?: Error | null) => void): boolean;
    end(chunk?: any, encoding?: any, callback?: () => void): this;
    cork(): void;
    uncork(): void;
    destroy(error?: Error): this;
  }
  type ReadStream = ReadableStream;
  type WriteStream = WritableStream;
  interface MemoryUsage {
    rss: number;
    heapTotal: number;
    heapUsed: number;
    external: number;
    arrayBuffers: number;
  }
  interface Process extends EventEmitter {
    argv: string[];
    argv0: string;
    execArgv: string[];
    execPath: string;
    env: { [name: string]: string | undefined };
    exitCode?: number | string;
    pid: number;
    ppid: number;
    platform: string;
    arch: string;
    title: string;
    version: string;
    versions: { [name: string]: string };
    stdin: ReadableStream;
    stdout: WritableStream;
    stderr: WritableStream;
    abort(): never;
    exit(code?: number | string): never;
    kill(pid: number, signal?: string | number): true;
    cwd(): string;
    chdir(folder: string): void;
    nextTick(callback: (...args: any[]) => void, ...args: any[]): void;
    uptime(): number;
    hrtime: { (since?: [number, number]): [number, number]; bigint(): bigint };
    cpuUsage(since?: { user: number; system: number }): { user: number; system: number };
    memoryUsage: { (): MemoryUsage; rss(): number };
    emitWarning(warning: string | Error, ...rest: any[]): void;
    [name: string]: any;
  }
}

interface Buffer extends Uint8Array {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  toJSON(): { type: "Buffer"; data: number[] };
  write(text: string, offset?: number, length?: number, encoding?: BufferEncoding): number;
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array): number;
  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number;
  indexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  lastIndexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  includes(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): boolean;
  slice(start?: number, end?: number): any;
  subarray(start?: number, end?: number): any;
  readUInt8(offset?: number): number;
  readInt8(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt16BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readInt32LE(offset?: number): number;
  readInt32BE(offset?: number): number;
  readBigInt64LE(offset?: number): bigint;
  readBigInt64BE(offset?: number): bigint;
  readBigUInt64LE(offset?: number): bigint;
  readBigUInt64BE(offset?: number): bigint;
  readFloatLE(offset?: number): number;
  readDoubleLE(offset?: number): number;
  readDoubleBE(offset?: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
}

interface BufferConstructor {
  prototype: Buffer;
  new (value: any, encoding?: BufferEncoding): Buffer;
  from(value: any, encodingOrOffset?: any, length?: number): Buffer;
  of(...bytes: number[]): Buffer;
  alloc(size: number, fill?: string | number | Uint8Array, encoding?: BufferEncoding): Buffer;
  allocUnsafe(size: number): Buffer;
  concat(list: readonly Uint8Array[], size?: number): Buffer;
  compare(a: Uint8Array, b: Uint8Array): number;
  byteLength(value: string | ArrayBufferView | ArrayBuffer, encoding?: BufferEncoding): number;
  isBuffer(value: any): value is Buffer;
  isEncoding(name: string): boolean;
}

interface Console {
  [name: string]: (...values: any[]) => void;
}

interface NodeRequire {
  (name: string): any;
  main: any;
  cache: any;
  resolve(name: string): string;
}

declare var Buffer: BufferConstructor;
declare var process: NodeJS.Process;
declare var console: Console;
declare var require: NodeRequire;
declare var module: any;
declare var exports: any;
declare var global: any;
declare var __dirname: string;
declare var __filename: string;
declare var performance: { now(): number; timeOrigin: number; [name: string]: any };
declare var crypto: any;
declare var URL: any;
declare var URLSearchParams: any;
declare var WebAssembly: any;
declare var AbortController: any;
declare var MessageChannel: any;
declare var TextEncoder: { new (): { encode(text?: string): Uint8Array; [name: string]: any } };
declare var TextDecoder: { new (label?: string, options?: any): { decode(bytes?: any, options?: any): string } };
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): NodeJS.Timeout;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): NodeJS.Timeout;
declare function setImmediate<A extends any[]>(callback: (...args: A) => void, ...args: A): NodeJS.Immediate;
declare function clearTimeout(timer?: any): void;
declare function clearInterval(timer?: any): void;
declare function clearImmediate(timer?: any): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T, options?: any): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;

declare module "fs" {
  type TextOptions = BufferEncoding | { encoding: BufferEncoding; flag?: string };
  type Path = string | Uint8Array;
  function readFileSync(path: Path | number, options: TextOptions): string;
  function readFileSync(path: Path | number, options?: { encoding?: null; flag?: string } | null): Buffer;
  function writeFileSync(path: Path | number, data: string | ArrayBufferView, options?: any): void;
  function appendFileSync(path: Path | number, data: string | Uint8Array, options?: any): void;
  function readSync(fd: number, buffer: ArrayBufferView, ...rest: any[]): number;
  function writeSync(fd: number, data: string | ArrayBufferView, ...rest: any[]): number;
  function openSync(path: Path, flags?: string | number, mode?: number): number;
  function closeSync(fd: number): void;
  function fsyncSync(fd: number): void;
  function existsSync(path: Path): boolean;
  function unlinkSync(path: Path): void;
  function mkdirSync(path: Path, options?: any): any;
  function readdirSync(path: Path, options?: any): any[];
  function statSync(path: Path, options?: any): any;
  function fstatSync(fd: number, options?: any): any;
  function createReadStream(path: Path | null, options?: any): NodeJS.ReadableStream;
  function createWriteStream(path: Path | null, options?: any): NodeJS.WritableStream;
  const constants: any;
  const promises: any;
  function readFile(...args: any[]): void;
  function writeFile(...args: any[]): void;
}
declare module "readline" {
  interface Interface extends NodeJS.EventEmitter {
    line: string;
    close(): void;
    pause(): this;
    resume(): this;
    prompt(keepCursor?: boolean): void;
    setPrompt(text: string): void;
    question(query: string, callback: (answer: string) => void): void;
    question(query: string, options: any, callback: (answer: string) => void): void;
    write(data: string): void;
    [Symbol.asyncIterator](): AsyncIterableIterator<string>;
  }
  type ReadLine = Interface;
  interface ReadLineOptions {
    input: NodeJS.ReadableStream;
    output?: NodeJS.WritableStream;
    crlfDelay?: number;
    terminal?: boolean;
    prompt?: string;
    [name: string]: any;
  }
  function createInterface(options: ReadLineOptions): Interface;
  function createInterface(input: NodeJS.ReadableStream, output?: NodeJS.WritableStream, ...rest: any[]): Interface;
}
declare module "events" {
  interface EventEmitter extends NodeJS.EventEmitter {}
  class EventEmitter {
    constructor(options?: any);
    static once(emitter: any, event: string | symbol): Promise<any[]>;
  }
  export { EventEmitter };
  export default EventEmitter;
}
declare module "process" {
  const own: NodeJS.Process;
  export = own;
}
declare module "buffer" {
  const own: { Buffer: BufferConstructor; constants: any; kMaxLength: number };
  export = own;
}
declare module "perf_hooks" {
  const own: { performance: { now(): number; timeOrigin: number; [name: string]: any }; [name: string]: any };
  export = own;
}
declare module "assert";
declare module "assert/strict";
declare module "async_hooks";
declare module "child_process";
declare module "crypto";
declare module "fs/promises";
declare module "module";
declare module "net";
declare module "os";
declare module "path";
declare module "querystring";
declare module "readline/promises";
declare module "stream";
declare module "stream/promises";
declare module "string_decoder";
declare module "timers";
declare module "timers/promises";
declare module "tty";
declare module "url";
declare module "util";
declare module "v8";
declare module "vm";
declare module "worker_threads";
declare module "zlib";
declare module "node:fs" {
  export * from "fs";
}
declare module "node:readline" {
  export * from "readline";
}
declare module "node:events" {
  export * from "events";
  export { default } from "events";
}
declare module "node:process" {
  import own = require("process");
  export = own;
}
declare module "node:buffer" {
  import own = require("buffer");
  export = own;
}
declare module "node:*";
