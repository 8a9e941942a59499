"""Whether this machine's processor runs guests itself: found out by running one.

A device ``/dev/kvm`` that opens, and even makes a machine, proves nothing: where we are a guest ourselves it may hang,
abort, or run the guest's kernel slower than emulation does. So a tiny guest enters 64-bit mode with paging and counts
to a hundred million, and must have done so within seconds. Method: own.
"""

import os
import subprocess
from functools import cache
from pathlib import Path

from sandbox.backends.bubblewrap import find_bubblewrap
from sandbox.backends.descriptors import Descriptors
from sandbox.backends.vm.emulator import become_nobody, find_qemu
from sandbox.backends.vm.machine import list_cage
from schemas.errors import SandboxError

_DEADLINE_S = 5.0
_FIRMWARE_BYTES = 65536
_START, _RESET = 0xFF00, 0xFFF0
_JUMP = bytes.fromhex("e90dff")
"""From the reset vector to the start."""
_EXIT_PORT = 0xF4
_SAID = 42
TINY_SOURCE = """
.code16
start:
    cli
    lgdtl %cs:0xff00 + gdtr - start
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $8, $protected
.code32
protected:
    movw $16, %ax
    movw %ax, %ds
    movl $0x2003, 0x1000
    movl $0x3003, 0x2000
    movl $0x83, 0x3000
    movl %cr4, %eax
    orl $0x20, %eax
    movl %eax, %cr4
    movl $0x1000, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80000000, %eax
    movl %eax, %cr0
    ljmpl $24, $long
.code64
long:
    movl $100000000, %ecx
    movq $0x5000, %rdi
again:
    addq %rcx, (%rdi)
    loop again
    movb $42, %al
    outb %al, $0xf4
    hlt
    jmp .
.balign 8
gdt:
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff
gdtr:
    .word 31
    .long gdt
"""
"""What the tiny guest does, for GNU as; linked at 0xfff00."""
TINY_CODE = bytes.fromhex(
    "fa2e660f0116a8ff0f20c06683c8010f22c066ea1aff0f00080066b810008ed8c7050010000003200000c7050020000003300000c70500"
    "300000830000000f20e083c8200f22e0b8001000000f22d8b9800000c00f320d000100000f300f20c00d000000800f22c0ea6fff0f0018"
    "00b900e1f50548c7c70050000048010fe2fbb02ae6f4f4ebfe900000000000000000ffff0000009bcf00ffff00000093cf00ffff000000"
    "9baf001f0088ff0f00"
)


@cache
def explain_kvm(device: Path = Path("/dev/kvm")) -> str:
    """Return why the processor can't run guests itself, or nothing if it can; found out once."""
    if not os.access(device, os.R_OK | os.W_OK):
        return f"no access to {device}"
    try:
        done = run_tiny_guest("kvm")
    except SandboxError as error:
        return str(error)
    except subprocess.TimeoutExpired:
        return f"{device} is there, but a guest that counts to a hundred million hangs for {_DEADLINE_S:g} s"
    if done.returncode != 2 * _SAID + 1:
        words = done.stderr.decode(errors="replace").strip()[-200:]
        return f"{device} is there, but a guest that counts to a hundred million ends with {done.returncode}: {words}"
    return ""


def run_tiny_guest(accelerator: str, *, deadline_s: float = _DEADLINE_S) -> "subprocess.CompletedProcess[bytes]":
    """Return how QEMU ended, with a code that the guest chooses; it runs caged, as for a real guest."""
    firmware = bytearray(_FIRMWARE_BYTES)
    firmware[_START : _START + len(TINY_CODE)] = TINY_CODE
    firmware[_RESET : _RESET + len(_JUMP)] = _JUMP
    is_root = os.geteuid() == 0
    cage = [str(find_bubblewrap()), *list_cage(find_qemu(), devices=("/dev/kvm",), is_root=is_root)]
    command = [*cage, "--", *(become_nobody() if is_root else ()), str(find_qemu()), "-machine", "pc"]
    command += ["-accel", accelerator, "-cpu", "host" if accelerator == "kvm" else "max", "-m", "16M", "-nodefaults"]
    command += ["-no-user-config", "-display", "none", "-no-reboot"]
    command += ["-device", f"isa-debug-exit,iobase={_EXIT_PORT:#x},iosize=4"]
    with Descriptors() as opened:
        file = opened.hold("firmware", bytes(firmware))
        command += ["-bios", f"/proc/self/fd/{file}"]
        return subprocess.run(command, env={}, capture_output=True, timeout=deadline_s, check=False, pass_fds=(file,))
