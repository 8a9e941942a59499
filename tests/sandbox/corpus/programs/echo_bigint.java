import java.math.BigInteger;

public class Solution {
    static BigInteger echo_bigint(BigInteger n) {
        return n;
    }
}
