public class Solution {
    static int[][] transpose(int[][] rows) {
        int[][] columns = new int[rows.length == 0 ? 0 : rows[0].length][rows.length];
        for (int i = 0; i < rows.length; i++) {
            for (int j = 0; j < rows[i].length; j++) {
                columns[j][i] = rows[i][j];
            }
        }
        return columns;
    }
}
