// Package limits is linked into every program and bounds its stacks, so that endless recursion ends as a stack
// overflow and not at the memory limit.
package limits

import "runtime/debug"

const mostBytes = 256 << 20

func init() {
	stack := debug.SetMemoryLimit(-1) / 4
	if stack > mostBytes {
		stack = mostBytes
	}
	debug.SetMaxStack(int(stack))
}
