import { rm } from 'node:fs/promises'
import type { ManagedServer } from '../process/managed-server.ts'
import { freePorts } from '../process/ports.ts'

export interface OutgoingServerOptions {
  /** Kept: ports, log, certificate, and the queue. */
  dir: string
  /** Where fetched packages are kept, for all to share. */
  cache: string
  /** Where mail for mail.test goes, reports to senders among it. */
  lmtpPort: number
  /** An SMTP server that stands for everybody else, as a mail hub does. */
  externalPort: number
  /** Where to note its processes; they then go on when we end. */
  record?: string | undefined
}

/** How to reach an outgoing server; what a test is told of one that runs elsewhere. */
export interface OutgoingAddress {
  host: string
  /** STARTTLS. */
  submissionPort: number
  /** TLS from the first byte. */
  submissionsPort: number
  /** PEM file of the certificate, which signs itself. */
  certPath: string
  /** Of every user. */
  password: string
}

/** A server that takes mail from who logs in, hands it on, and reports to the sender's mailbox what became of it. */
export interface OutgoingServer extends ManagedServer, OutgoingAddress {
  /** Stops it and removes its queue. */
  destroy(): Promise<void>
}

/** How to reach an outgoing server, without the means to stop it. */
export function toOutgoingAddress({
  host,
  submissionPort,
  submissionsPort,
  certPath,
  password,
}: OutgoingAddress): OutgoingAddress {
  return { host, submissionPort, submissionsPort, certPath, password }
}

export interface OutgoingPorts {
  submission: number
  submissions: number
}

export async function chooseOutgoingPorts(): Promise<OutgoingPorts> {
  const [submission = 0, submissions = 0] = await freePorts(2)
  return { submission, submissions }
}

/** What templates call the ports. */
export function portValues(
  { submission, submissions }: OutgoingPorts,
  { lmtpPort, externalPort: worldPort }: OutgoingServerOptions,
): Record<string, string> {
  return {
    SUBMISSION: String(submission),
    SUBMISSIONS: String(submissions),
    LMTP: String(lmtpPort),
    WORLD: String(worldPort),
  }
}

/** A life as an outgoing server. */
export function toOutgoingServer(
  server: ManagedServer,
  { address, folders }: { address: OutgoingAddress; folders: readonly string[] },
): OutgoingServer {
  return Object.assign(server, {
    ...address,
    async destroy() {
      await server.stop()
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    },
  })
}
