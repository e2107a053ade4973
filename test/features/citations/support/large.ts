/** A log of about so many characters whose lines are alike, with another message in its middle. */
export function largeLog(characters: number, message: string): string {
  const lines: string[] = [];
  for (let length = 0, index = 0; length < characters; index++) {
    const at = new Date(1_772_361_720_000 + index * 250).toISOString();
    const line = `${at} web-${index % 7} INFO GET /api/v1/items/${index} 200 ${20 + ((index * 31) % 170)}ms`;
    lines.push(line);
    length += line.length + 1;
  }
  const middle = Math.floor(lines.length / 2);
  lines[middle] = `${lines[middle]!.slice(0, 24)} ${message}`;
  return lines.join('\n');
}
