const sum_list = (items: number[]): number => items.reduce((sum, item) => sum + item, 0);
