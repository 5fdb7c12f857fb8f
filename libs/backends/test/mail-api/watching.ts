import { expect } from '@jest/globals'
import { type CreateEnvironment, type DefineCase, signal } from './environment.ts'

export function watchingCases(create: CreateEnvironment, test: DefineCase): void {
  test('watch: start, renew, list and stop', async () => {
    await using environment = await create()
    const { api } = environment
    const watch = await api.watch('s'.repeat(128), signal)
    expect(watch.expiresAt).toBeInstanceOf(Date)
    expect(await api.renewWatch(watch.id, signal)).toMatchObject({ id: watch.id })
    const listed = await api.listWatches(signal)
    if (listed) expect(listed.map(({ id }) => id)).toEqual([watch.id])
    await api.stopWatch(watch.id, signal)
    await api.stopWatch(watch.id, signal)
    if (listed) expect(await api.listWatches(signal)).toEqual([])
  })

  test('renewWatch: watch that the provider removed, fails with watch-missing', async () => {
    await using environment = await create()
    const { api } = environment
    const watch = await api.watch('secret', signal)
    environment.removeWatches()
    // A Gmail mailbox has one watch (registration for notifications), and renewing a missing watch
    // creates the watch.
    if ((await api.listWatches(signal)) === undefined) return
    await expect(api.renewWatch(watch.id, signal)).rejects.toMatchObject({
      failure: 'watch-missing',
    })
    expect(await api.watch('secret', signal)).toMatchObject({ id: expect.any(String) })
  })
}
