import type { RunCommand } from '../../program/command.ts'

/** Command `accounts sync`: starts a sync of a mail account. */
export const syncAccount: RunCommand = async ({ posthorn, output, signal }, args) => {
  const [account = ''] = args
  const client = await posthorn()
  const result = await client.syncAccount({ account, body: { sync: true } }, { signal })
  await output.result({ account, ...result }, `the sync of ${account} has started`)
}
