import type { RunCommand } from '../../program/command.ts'
import { waitUntilConnected } from './wait-until-connected.ts'

/** Command `accounts reconnect`: reconnects a mail account. */
export const reconnectAccount: RunCommand = async (context, args, options) => {
  const { posthorn, output, signal } = context
  const [account = ''] = args
  const { wait, timeout } = options as { wait?: boolean; timeout?: number }
  const client = await posthorn()
  const { syncTime: lastSync } = wait ? await client.getAccount({ account }, { signal }) : {}
  const result = await client.reconnectAccount({ account, body: { reconnect: true } }, { signal })
  if (wait) await waitUntilConnected(context, account, { client, timeout, lastSync })
  await output.result(
    { account, ...result },
    wait ? `${account} is connected` : `${account} reconnects`,
  )
}
