vector<vector<long long>> transpose(vector<vector<long long>>& rows) {
    if (rows.empty()) return {};
    vector<vector<long long>> columns(rows[0].size());
    for (auto& row : rows)
        for (size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
    return columns;
}
