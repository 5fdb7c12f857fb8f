import type { StartedNetwork } from '@posthorn/testkit/containers'
import { docker } from './docker.ts'

/** Address by which containers of a network reach this machine. */
export async function gatewayOf(network: StartedNetwork): Promise<string> {
  const format = '{{(index .IPAM.Config 0).Gateway}}'
  return docker('network', 'inspect', '--format', format, network.getName())
}

/** State of a container that has ended, as reported by the engine. */
export interface EndState {
  exitCode: number
  isOutOfMemory: boolean
}

/** Waits until a container has ended. */
export async function waitForEnd(id: string): Promise<EndState> {
  const exitCode = Number(await docker('wait', id))
  const killed = await docker('inspect', '--format', '{{.State.OOMKilled}}', id)
  return { exitCode, isOutOfMemory: killed === 'true' }
}
