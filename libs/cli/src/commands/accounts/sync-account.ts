import type { RunCommand } from '../../program/command.ts'

/** Starts a sync of an account. */
export const syncAccount: RunCommand = async ({ posthorn, output, signal }, args) => {
  const [account = ''] = args
  const client = await posthorn()
  const result = await client.syncAccount({ account, body: { sync: true } }, { signal })
  await output.result({ account, ...result }, `the sync of ${account} has started`)
}
