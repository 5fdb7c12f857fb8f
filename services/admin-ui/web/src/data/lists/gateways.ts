import type {
  CreateGatewayInput,
  GetGatewayResult,
  ListGatewaysResult,
  UpdateGatewayInput,
  VerifyAccountInput,
} from '@posthorn/client'
import { PosthornError } from '@posthorn/client/create-client'
import {
  createGateway,
  deleteGateway,
  getGateway,
  listGateways,
  submitMessage,
  updateGateway,
  verifyAccount,
} from '@posthorn/client/operations'
import { InputError, type Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** Gateway (SMTP server that sends for accounts) in the list of gateways. */
export type Gateway = ListGatewaysResult['gateways'][number]
/** SMTP gateway with its server and login name. */
export type GatewayRecord = GetGatewayResult
/** Request that registers an SMTP gateway. */
export type GatewayBody = CreateGatewayInput['body']
/** Request that changes an SMTP gateway. */
export type GatewayChanges = UpdateGatewayInput['body']
/** SMTP server of a gateway, with the login to test. */
export type TestedServer = Exclude<VerifyAccountInput['body']['smtp'], false | undefined>

/** Cache key of the SMTP gateways. */
export const gatewaysKey = ['gateways'] as const
const pageSize = 50
const refreshMs = 10_000

/** Loads a page of the list of SMTP gateways. */
export function useGateways(page: number): Load<ListGatewaysResult> {
  const load = () => listGateways(calls.api, { page, pageSize })
  return useLoad([...gatewaysKey, 'list', page], load, { everyMs: refreshMs })
}

/** Loads an SMTP gateway with its server, counters and last error. */
export function useGateway(gateway: string): Load<GatewayRecord> {
  const load = () => getGateway(calls.api, { gateway })
  return useLoad([...gatewaysKey, 'one', gateway], load, { everyMs: refreshMs })
}

/**
 * Registers an SMTP gateway. The API would replace a gateway with the same id.
 *
 * @throws InputError if a gateway has the id
 */
async function addGateway(body: GatewayBody): Promise<string> {
  if (body.gateway !== null && (await exists(body.gateway)))
    throw new InputError(`The gateway id ${body.gateway} exists already. Choose another id.`)
  return (await createGateway(calls.api, { body })).gateway
}

async function exists(gateway: string): Promise<boolean> {
  try {
    await getGateway(calls.api, { gateway })
    return true
  } catch (error) {
    if (error instanceof PosthornError && error.status === 404) return false
    throw error
  }
}

/** Message that tests an SMTP gateway. */
export interface TestMessage {
  gateway: string
  account: string
  recipient: string
}

function sendTest({ gateway, account, recipient }: TestMessage) {
  const text = `This message was sent through the gateway ${gateway} to test the gateway.`
  const body = { to: [{ address: recipient }], subject: 'Test of a gateway', text, gateway }
  return submitMessage(calls.api, { account, body })
}

/** Calls that change and test SMTP gateways. */
export const gatewayActions = {
  add: addGateway,
  change: ({ gateway, changes }: { gateway: string; changes: GatewayChanges }) =>
    updateGateway(calls.api, { gateway, body: changes }),
  remove: (gateway: string) => deleteGateway(calls.api, { gateway }),
  verify: (smtp: TestedServer) => verifyAccount(calls.api, { body: { smtp } }),
  sendTest,
}
