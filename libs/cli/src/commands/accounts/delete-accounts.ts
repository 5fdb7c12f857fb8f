import type { RunCommand } from '../../program/command.ts'

/** Command `accounts delete`: deletes accounts one after the other. Ends at the first error. */
export const deleteAccounts: RunCommand = async ({ posthorn, output, signal }, args, options) => {
  const client = await posthorn()
  const revoke = options['revoke'] === true
  for (const account of args) {
    const result = await client.deleteAccount({ account, ...(revoke && { revoke }) }, { signal })
    await output.result(result, `deleted ${result.account}`)
  }
}
