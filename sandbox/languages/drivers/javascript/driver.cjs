"use strict";
// Calls a solution and writes one record per call to descriptor 3, in the form of sandbox/languages/wire.py.
//
// The solution shares this process, so whatever this file needs after loading it is taken before: a solution may replace
// globals, prototypes and functions of modules. What it could write itself is no more than a result, which is judged
// outside. Arguments are decoded before the solution runs; no value of the solution is asked for anything but its parts.

require("./streams.cjs");
const fs = require("fs");
const Module = require("module");
const { isMap, isSet, isTypedArray, isUint8Array } = require("util").types;

const CALL = __CALL__;
const RECORDS = 3;
const MISMATCH = Object.freeze({});

const { apply } = Reflect;
const { isArray } = Array;
const { keys: keysOf } = Object;
const { isSafeInteger } = Number;
const { fromCharCode, prototype: { charCodeAt, slice } } = String;
const { exec } = RegExp.prototype;
const encoder = new TextEncoder();
const { encode } = TextEncoder.prototype;
const { latin1Slice, latin1Write, hexSlice } = Buffer.prototype;
const Bytes = Uint8Array;
const lengthOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Bytes.prototype), "length").get;
const mapForEach = Map.prototype.forEach;
const setForEach = Set.prototype.forEach;
const { writeSync } = fs;
const exit = process.reallyExit;
const BigInteger = BigInt;
const text = String;
const double = new DataView(new ArrayBuffer(8));
const doubleBytes = Buffer.from(double.buffer);
const { setFloat64 } = DataView.prototype;

const NOT_ASCII = /[^\x00-\x7f]/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

// ---- arguments: read before the solution is loaded ----

function readCalls(data) {
  let at = 0;
  const number = (end) => {
    const stop = data.indexOf(end, at);
    const digits = data.latin1Slice(at, stop);
    at = stop + 1;
    return digits;
  };
  const take = () => {
    const size = Number(number(":"));
    at += size;
    return data.subarray(at - size, at);
  };
  const many = (kind) => Array.from({ length: Number(number(":")) }, () => read(kind));
  const read = (kind) => {
    const tag = data[at++];
    switch (tag) {
      case 0x4e: return kind[0] === "optional" ? null : undefined; // N
      case 0x54: return true; // T
      case 0x46: return false; // F
      case 0x44: at += 16; return Buffer.from(data.latin1Slice(at - 16, at), "hex").readDoubleBE(0); // D
      case 0x53: return readText(take()); // S
      case 0x42: return Buffer.from(take()); // B
    }
    const [name, ...parts] = kind[0] === "optional" ? kind[1] : kind;
    switch (tag) {
      case 0x49: return readInteger(number(";"), name); // I
      case 0x4c: return many(parts[0]); // L
      case 0x45: return new Set(many(parts[0])); // E
      case 0x50: number(":"); return parts.map(read); // P
      case 0x4d: return new Map(Array.from({ length: Number(number(":")) }, () => parts.map(read))); // M
    }
    throw new Error("malformed input");
  };
  at = 1;
  return Array.from({ length: Number(number(";")) }, () => CALL.parameters.map(read));
}

function readInteger(digits, name) {
  const value = Number(digits);
  return name === "bigint" || !Number.isSafeInteger(value) ? BigInt(digits) : value;
}

function readText(bytes) {
  if (!bytes.includes(0xed)) return bytes.utf8Slice();
  let units = "";
  let from = 0;
  for (let at = bytes.indexOf(0xed); at >= 0; at = bytes.indexOf(0xed, at + 3)) {
    if (bytes[at + 1] < 0xa0) continue;
    units += bytes.utf8Slice(from, at);
    units += String.fromCharCode(0xd000 | ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f));
    from = at + 3;
  }
  return units + bytes.utf8Slice(from);
}

// ---- results: written beside a solution that may have replaced everything ----

function refuse(value, kind) {
  const found = value === null ? "null" : isArray(value) ? "an array" : typeof value;
  throw [MISMATCH, `${found} isn't ${kind[0]}`];
}

function writeInteger(value, kind) {
  if (typeof value === "bigint") return `I${value};`;
  if (typeof value !== "number") refuse(value, kind);
  if (!isSafeInteger(value)) throw [MISMATCH, `${value} is no integer that a number holds exactly`];
  if (value === 0 && 1 / value < 0) throw [MISMATCH, "-0 is no integer"];
  return `I${value};`;
}

function writeDouble(value) {
  apply(setFloat64, double, [0, value]);
  return `D${apply(hexSlice, doubleBytes, [0, 8])}`;
}

function writeUtf8(value) {
  if (apply(exec, NOT_ASCII, [value]) === null) return value;
  if (apply(exec, LONE_SURROGATE, [value]) === null) {
    const bytes = apply(encode, encoder, [value]);
    return apply(latin1Slice, bytes, [0, apply(lengthOf, bytes, [])]);
  }
  let bytes = "";
  for (let at = 0; at < value.length; at++) {
    const unit = apply(charCodeAt, value, [at]);
    if (unit < 0x80) bytes += fromCharCode(unit);
    else if (unit < 0x800) bytes += fromCharCode(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes += fromCharCode(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return bytes;
}

function writeBytes(value, kind) {
  if (!isUint8Array(value)) refuse(value, kind);
  const size = apply(lengthOf, value, []);
  return `B${size}:${apply(latin1Slice, value, [0, size])}`;
}

function writeItems(tag, value, kind) {
  const isTyped = isTypedArray(value);
  if (!isTyped && !isArray(value)) refuse(value, kind);
  const size = isTyped ? apply(lengthOf, value, []) : value.length;
  if (!isSafeInteger(size)) refuse(size, kind);
  if (tag === "P" && size !== kind.length - 1) throw [MISMATCH, `${size} values in a tuple of ${kind.length - 1}`];
  let items = "";
  for (let at = 0; at < size; at++) items += write(value[at], kind[tag === "P" ? at + 1 : 1]);
  return `${tag}${size}:${items}`;
}

function writeSet(value, kind) {
  if (!isSet(value)) refuse(value, kind);
  let count = 0;
  let items = "";
  apply(setForEach, value, [(item) => {
    count++;
    items += write(item, kind[1]);
  }]);
  return `E${count}:${items}`;
}

function writeMap(value, kind) {
  let count = 0;
  let items = "";
  if (isMap(value)) {
    apply(mapForEach, value, [(item, key) => {
      count++;
      items += write(key, kind[1]) + write(item, kind[2]);
    }]);
    return `M${count}:${items}`;
  }
  if (typeof value !== "object" || value === null || isArray(value)) refuse(value, kind);
  const keys = keysOf(value);
  for (; count < keys.length; count++) {
    items += writeKey(keys[count], kind[1]) + write(value[keys[count]], kind[2]);
  }
  return `M${count}:${items}`;
}

function writeKey(key, kind) {
  if (kind[0] === "str") return write(key, kind);
  const isInteger = (kind[0] === "int" || kind[0] === "bigint") && apply(exec, INTEGER, [key]) !== null;
  if (!isInteger) throw [MISMATCH, `keys of a plain object are texts, not ${kind[0]}: use a Map`];
  return write(BigInteger(key), kind);
}

function write(value, kind) {
  switch (kind[0]) {
    case "optional": return value === null || value === undefined ? "N" : write(value, kind[1]);
    case "none": return value === null || value === undefined ? "N" : refuse(value, kind);
    case "bool": return typeof value === "boolean" ? (value ? "T" : "F") : refuse(value, kind);
    case "int": case "bigint": return writeInteger(value, kind);
    case "float": return typeof value === "number" ? writeDouble(value) : refuse(value, kind);
    case "bytes": return writeBytes(value, kind);
    case "list": return writeItems("L", value, kind);
    case "tuple": return writeItems("P", value, kind);
    case "set": return writeSet(value, kind);
    case "map": return writeMap(value, kind);
  }
  if (typeof value !== "string") refuse(value, kind);
  const bytes = writeUtf8(value);
  return `S${bytes.length}:${bytes}`;
}

function send(tag, payload) {
  const record = `${tag}${payload.length};${payload}`;
  const size = record.length;
  const bytes = new Bytes(size);
  apply(latin1Write, bytes, [record, 0, size]);
  for (let done = 0; done < size;) done += writeSync(RECORDS, bytes, done, size - done);
}

function sendResult(value) {
  let payload;
  try {
    payload = write(value, CALL.returns);
  } catch (error) {
    const isOurs = isArray(error) && error[0] === MISMATCH;
    send("E", writeUtf8(isOurs ? error[1] : `reading it failed: ${describe(error).join}`));
    return;
  }
  send("V", payload);
}

// ---- the solution ----

function describe(error) {
  const about = { __proto__: null, name: typeof error, message: "", join: "" };
  try {
    if ((typeof error === "object" && error !== null) || typeof error === "function") {
      const name = error.constructor?.name;
      if (typeof name === "string" && name) about.name = apply(slice, name, [0, 100]);
      if (typeof error.message === "string") about.message = apply(slice, error.message, [0, 1000]);
    } else {
      about.message = apply(slice, text(error), [0, 1000]);
    }
  } catch {
    about.message = "its description can't be read";
  }
  about.join = `${about.name}: ${about.message}`;
  return about;
}

function fail(about) {
  try {
    const bytes = apply(encode, encoder, [`${about.join}\n`]);
    writeSync(2, bytes, 0, apply(lengthOf, bytes, []));
  } finally {
    apply(exit, process, [1]);
  }
}

function isOfLimits(message) {
  return message === "Maximum call stack size exceeded" || message === "Array buffer allocation failed";
}

async function load() {
  const solution = new Module("/work/solution.cjs", null);
  solution.filename = "/work/solution.cjs";
  solution.paths = [];
  solution.load("/work/solution.cjs");
  if (solution.entry) return solution.entry(solution.exports);
  const exported = await solution.exports; // of an ECMAScript module
  return exported.entry(exported);
}

function isPromise(value) {
  return typeof value === "object" && value !== null && typeof value.then === "function";
}

async function main(calls) {
  const host = process;
  let found;
  try {
    found = await load();
  } catch (error) {
    fail(describe(error));
  }
  if (typeof found[0] !== "function") fail({ join: `TypeError: ${CALL.entry} is not a function` });
  for (let at = 0; at < calls.length; at++) {
    let value;
    try {
      value = apply(found[0], found[1], calls[at]);
      if (isPromise(value)) value = await value;
    } catch (error) {
      const about = describe(error);
      if (about.name === "RangeError" && isOfLimits(about.message)) fail(about);
      send("X", writeUtf8(`${about.name}\n${about.message}`));
      continue;
    }
    sendResult(value);
  }
  apply(exit, host, [0]);
}

main(readCalls(fs.readFileSync(0)));
