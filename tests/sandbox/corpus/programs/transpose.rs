impl Solution {
    pub fn columns(rows: &Vec<Vec<i64>>) -> Vec<Vec<i64>> {
        let width = rows.first().map_or(0, |row| row.len());
        (0..width).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
    }
}

struct Solution;

pub fn transpose(rows: &Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    Solution::columns(rows)
}
