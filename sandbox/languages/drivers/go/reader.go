package driver

import (
	"bytes"
	"math"
	"math/big"
	"reflect"
	"strconv"
)

type reader struct {
	data []byte
	at   int
}

func (r *reader) peek() byte {
	if r.at >= len(r.data) {
		fail("the arguments end too early")
	}
	return r.data[r.at]
}

func (r *reader) expect(tag byte) {
	if r.peek() != tag {
		fail("malformed arguments: %q instead of %q", r.peek(), tag)
	}
	r.at++
}

func (r *reader) until(end byte) string {
	size := bytes.IndexByte(r.data[r.at:], end)
	if size < 0 {
		fail("the arguments end too early")
	}
	text := string(r.data[r.at : r.at+size])
	r.at += size + 1
	return text
}

func (r *reader) number(end byte) int {
	n, err := strconv.Atoi(r.until(end))
	if err != nil {
		fail("malformed arguments: %v", err)
	}
	return n
}

func (r *reader) take(tag byte) []byte {
	r.expect(tag)
	size := r.number(':')
	if size > len(r.data)-r.at {
		fail("the arguments end too early")
	}
	r.at += size
	return append([]byte(nil), r.data[r.at-size:r.at]...)
}

func (r *reader) size(tag byte) int {
	r.expect(tag)
	return r.number(':')
}

// read sets a variable of any type that can hold the kind.
func (r *reader) read(k *kind, v reflect.Value) {
	t := v.Type()
	isNull := (k.name == "optional" || k.name == "none") && r.peek() == 'N'
	switch {
	case isNull:
		r.at++
		if k.name == "optional" && !isNullable(t) {
			refuse(k, t)
		}
		v.Set(reflect.Zero(t))
	case t == bigType:
		r.readBig(k, v.Addr().Interface().(*big.Int))
	case t.Kind() == reflect.Ptr:
		v.Set(reflect.New(t.Elem()))
		if k.name == "optional" {
			k = k.parts[0]
		}
		r.read(k, v.Elem())
	case k.name == "optional":
		r.read(k.parts[0], v)
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		value := reflect.New(k.natural()).Elem()
		r.read(k, value)
		v.Set(value)
	default:
		r.readPlain(k, v)
	}
}

func (r *reader) readPlain(k *kind, v reflect.Value) {
	switch k.name {
	case "int", "bigint":
		r.readInteger(k, v)
	case "float":
		r.readFloat(k, v)
	case "bool":
		if v.Kind() != reflect.Bool {
			refuse(k, v.Type())
		}
		v.SetBool(r.peek() == 'T')
		r.at++
	case "str":
		setText(k, v, r.take('S'))
	case "bytes":
		if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 {
			refuse(k, v.Type())
		}
		v.SetBytes(r.take('B'))
	case "list":
		r.readItems(k, v, r.size('L'))
	case "tuple":
		r.readTuple(k, v, r.size('P'))
	case "set":
		r.readEntries(k, v, r.size('E'))
	case "map":
		r.readEntries(k, v, r.size('M'))
	default:
		refuse(k, v.Type())
	}
}

func (r *reader) readInteger(k *kind, v reflect.Value) {
	r.expect('I')
	digits := r.until(';')
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(digits, 10, v.Type().Bits())
		if err != nil {
			fail("the argument %.40s doesn't fit %v", digits, v.Type())
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(digits, 10, v.Type().Bits())
		if err != nil {
			fail("the argument %.40s doesn't fit %v", digits, v.Type())
		}
		v.SetUint(n)
	default:
		refuse(k, v.Type())
	}
}

func (r *reader) readBig(k *kind, n *big.Int) {
	if k.name != "int" && k.name != "bigint" {
		refuse(k, bigType)
	}
	r.expect('I')
	if _, ok := n.SetString(r.until(';'), 10); !ok {
		fail("malformed arguments")
	}
}

func (r *reader) readFloat(k *kind, v reflect.Value) {
	if v.Kind() != reflect.Float64 && v.Kind() != reflect.Float32 {
		refuse(k, v.Type())
	}
	r.expect('D')
	bits, err := strconv.ParseUint(string(r.data[r.at:r.at+16]), 16, 64)
	if err != nil {
		fail("malformed arguments: %v", err)
	}
	r.at += 16
	v.SetFloat(math.Float64frombits(bits))
}

func (r *reader) readItems(k *kind, v reflect.Value, size int) {
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), size, size))
	} else if v.Kind() != reflect.Array || v.Len() != size {
		refuse(k, v.Type())
	}
	for i := 0; i < size; i++ {
		r.read(k.parts[0], v.Index(i))
	}
}

func (r *reader) readTuple(k *kind, v reflect.Value, size int) {
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), size, size))
	}
	for i := 0; i < size; i++ {
		switch {
		case v.Kind() == reflect.Struct && v.NumField() == size:
			r.read(k.parts[i], field(v, i))
		case (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && v.Len() == size:
			r.read(k.parts[i], v.Index(i))
		default:
			refuse(k, v.Type())
		}
	}
}

func (r *reader) readEntries(k *kind, v reflect.Value, size int) {
	t := v.Type()
	isSet := k.name == "set"
	if t.Kind() != reflect.Map || (isSet && t.Elem() != emptyType && t.Elem().Kind() != reflect.Bool) {
		refuse(k, t)
	}
	v.Set(reflect.MakeMapWithSize(t, size))
	for i := 0; i < size; i++ {
		key, item := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		r.read(k.parts[0], key)
		if !isSet {
			r.read(k.parts[1], item)
		} else if item.Kind() == reflect.Bool {
			item.SetBool(true)
		}
		v.SetMapIndex(key, item)
	}
}

func setText(k *kind, v reflect.Value, text []byte) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(string(text))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes(text)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Int32:
		v.Set(reflect.ValueOf([]rune(string(text))).Convert(v.Type()))
	default:
		refuse(k, v.Type())
	}
}

func isNullable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Ptr, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	}
	return false
}

func refuse(k *kind, t reflect.Type) {
	fail("a parameter of the type %v can't take a value of the type %s", t, k.text())
}
