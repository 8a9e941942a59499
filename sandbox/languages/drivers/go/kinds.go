package driver

import (
	"math/big"
	"reflect"
	"strings"
	"unsafe"
)

var (
	bigType   = reflect.TypeOf(big.Int{})
	anyType   = reflect.TypeOf((*interface{})(nil)).Elem()
	emptyType = reflect.TypeOf(struct{}{})
)

// kind is a type of a signature, such as map[str, list[int]].
type kind struct {
	name  string
	parts []*kind
}

func parseKind(text string) *kind {
	parsed, rest := parsePrefix(text)
	if rest != "" {
		fail("the type %q isn't known", text)
	}
	return parsed
}

func parsePrefix(text string) (*kind, string) {
	end := strings.IndexAny(text, "[],")
	if end < 0 {
		return &kind{name: text}, ""
	}
	parsed, rest := &kind{name: text[:end]}, text[end:]
	if rest[0] != '[' {
		return parsed, rest
	}
	for rest[0] != ']' {
		var part *kind
		part, rest = parsePrefix(strings.TrimLeft(rest[1:], " "))
		parsed.parts = append(parsed.parts, part)
	}
	return parsed, rest[1:]
}

// results is how many results a function has at least that returns this kind.
func (k *kind) results() int {
	if k.name == "none" {
		return 0
	}
	return 1
}

// natural is the Go type of a kind where the solution says interface{}.
func (k *kind) natural() reflect.Type {
	switch k.name {
	case "int":
		return reflect.TypeOf(0)
	case "bigint":
		return reflect.PtrTo(bigType)
	case "float":
		return reflect.TypeOf(0.0)
	case "bool":
		return reflect.TypeOf(false)
	case "str":
		return reflect.TypeOf("")
	case "bytes":
		return reflect.TypeOf([]byte(nil))
	case "list":
		return reflect.SliceOf(k.parts[0].natural())
	case "set":
		return reflect.MapOf(k.parts[0].natural(), emptyType)
	case "map":
		return reflect.MapOf(k.parts[0].natural(), k.parts[1].natural())
	case "tuple":
		return reflect.ArrayOf(len(k.parts), anyType)
	}
	return anyType
}

// field returns a field of an addressable struct, also an unexported one, so that it can be set and read.
func field(v reflect.Value, i int) reflect.Value {
	f := v.Field(i)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}
