function default_(value: string | null): string {
  return value ?? "none";
}
