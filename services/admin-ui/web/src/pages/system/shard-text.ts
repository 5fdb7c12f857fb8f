/** Text for numbers of shards (groups of accounts), as ranges: `0–3, 7`. */
export function shardText(shards: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const shard of [...shards].sort((a, b) => a - b)) {
    const current = ranges.at(-1)
    if (current && current[1] === shard - 1) current[1] = shard
    else ranges.push([shard, shard])
  }
  return ranges
    .map(([first, last]) => (first === last ? String(first) : `${first}–${last}`))
    .join(', ')
}
