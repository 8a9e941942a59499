package taskfoundry;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** UTF-8 in which a lone surrogate is three bytes of its own; Java's would make a question mark of it. */
final class Text {
    private Text() {}

    static byte[] encode(String text) {
        if (text.codePoints().noneMatch(Text::isSurrogate)) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        text.codePoints().forEach(point -> {
            if (isSurrogate(point)) {
                out.write(0xE0 | point >> 12);
                out.write(0x80 | point >> 6 & 0x3F);
                out.write(0x80 | point & 0x3F);
            } else {
                out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
        });
        return out.toByteArray();
    }

    static String decode(byte[] data) {
        StringBuilder text = new StringBuilder();
        int done = 0;
        for (int i = 0; i + 2 < data.length; i++) {
            if ((data[i] & 0xFF) == 0xED && (data[i + 1] & 0xFF) >= 0xA0) {
                text.append(new String(data, done, i - done, StandardCharsets.UTF_8));
                text.append((char) (0xD000 | (data[i + 1] & 0x3F) << 6 | data[i + 2] & 0x3F));
                done = i + 3;
            }
        }
        return text.append(new String(data, done, data.length - done, StandardCharsets.UTF_8)).toString();
    }

    private static boolean isSurrogate(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }
}
