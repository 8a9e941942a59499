import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Solution {
    record Point(int x, int y) {}

    static Map<Point, Integer> grid(List<Point> points) {
        Map<Point, Integer> counts = new HashMap<>();
        for (Point point : points) {
            counts.merge(point, 1, Integer::sum);
        }
        return counts;
    }
}
