const sum_list = (items) => items.reduce((sum, item) => sum + item, 0);
