import { rm } from 'node:fs/promises'
import type { ManagedServer } from '../process/managed-server.ts'
import { freePorts } from '../process/ports.ts'

export interface OutgoingServerOptions {
  /** Directory of ports, log, certificate and queue. Reused by the next start. */
  dir: string
  /** Directory of downloaded packages, shared by all servers. */
  cache: string
  /** LMTP port that receives mail for mail.test, including reports to senders. */
  lmtpPort: number
  /** Port of the SMTP server that receives all other mail, usually the mail hub. */
  externalPort: number
  /** File that records the processes. With a record, the processes outlive this process. */
  record?: string | undefined
}

/** Addresses and password of an outgoing server, which may run in another process. */
export interface OutgoingAddress {
  host: string
  /** Port with STARTTLS. */
  submissionPort: number
  /** Port with TLS from the first byte. */
  submissionsPort: number
  /** PEM file of the self-signed certificate. */
  certPath: string
  /** Password of every user. */
  password: string
}

/**
 * Server that relays the mail of authenticated users and sends delivery reports to the sender's
 * mailbox.
 */
export interface OutgoingServer extends ManagedServer, OutgoingAddress {
  /** Address alone, to be passed to another process. */
  readonly address: OutgoingAddress
  /** Stops the server and deletes its queue. */
  destroy(): Promise<void>
}

export interface OutgoingPorts {
  submission: number
  submissions: number
}

export function chooseOutgoingPorts(): Promise<OutgoingPorts> {
  return freePorts('submission', 'submissions')
}

/** Values of the port placeholders in configuration templates. */
export function portValues(
  { submission, submissions }: OutgoingPorts,
  { lmtpPort, externalPort }: OutgoingServerOptions,
): Record<string, string> {
  return {
    SUBMISSION: String(submission),
    SUBMISSIONS: String(submissions),
    LMTP: String(lmtpPort),
    WORLD: String(externalPort),
  }
}

/** Adds the address and `destroy` to a managed server. */
export function toOutgoingServer(
  server: ManagedServer,
  { address, folders }: { address: OutgoingAddress; folders: readonly string[] },
): OutgoingServer {
  return Object.assign(server, address, {
    address,
    async destroy() {
      await server.stop()
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    },
  })
}
