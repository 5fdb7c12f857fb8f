import { once } from 'node:events'
import { connect } from 'node:net'

/** Resolves when what listens on a port of this machine greets as it should. */
export async function greets(port: number, greeting: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })) as [Buffer]
    if (!bytes.toString('latin1').startsWith(greeting))
      throw new Error(`port ${port} said ${bytes.toString('latin1')}`)
  } finally {
    socket.destroy()
  }
}
