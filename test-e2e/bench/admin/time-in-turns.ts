/**
 * Durations of several calls in milliseconds, by the name of the call. The calls take turns, so
 * that other load on the machine affects all calls. The first call of each name is not counted.
 */
export async function timeInTurns<Name extends string>(
  calls: Readonly<Record<Name, () => Promise<unknown>>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(calls) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >
  for (const name of names) await calls[name]()
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) {
      const start = performance.now()
      await calls[name]()
      times[name].push(performance.now() - start)
    }
  return times
}
