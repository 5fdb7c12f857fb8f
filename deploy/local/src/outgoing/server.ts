import { rm } from 'node:fs/promises'
import type { ManagedServer } from '../process/managed-server.ts'
import { freePorts } from '../process/ports.ts'

export interface OutgoingServerOptions {
  /**
   * Directory of the ports, log, certificate and queue of an outgoing mail server. The next start
   * of the server uses the directory again.
   */
  dir: string
  /** Directory of downloaded Debian packages, shared by all test servers. */
  cache: string
  /**
   * LMTP port of the mail server that receives mail for addresses at mail.test, including delivery
   * reports to senders.
   */
  lmtpPort: number
  /**
   * Port of the SMTP server that receives mail for all domains except mail.test, usually the mail
   * hub.
   */
  externalPort: number
  /**
   * File that records the processes of the outgoing mail server. With a record, the recorded
   * processes outlive this process.
   */
  record?: string | undefined
}

/** Addresses and password of an outgoing server, which may run in another process. */
export interface OutgoingAddress {
  host: string
  /** Port at which the outgoing mail server offers STARTTLS. */
  submissionPort: number
  /** Port at which the outgoing mail server uses TLS from the first byte. */
  submissionsPort: number
  /** PEM file of the outgoing mail server's self-signed certificate. */
  certPath: string
  /** Password of every user of the outgoing mail server. */
  password: string
}

/**
 * Outgoing mail server for tests that relays the mail of authenticated users and sends delivery
 * reports to the sender's mailbox.
 */
export interface OutgoingServer extends ManagedServer, OutgoingAddress {
  /**
   * Addresses and password of the outgoing mail server as plain data, to be passed to another
   * process.
   */
  readonly address: OutgoingAddress
  /** Stops the outgoing mail server and deletes its mail queue. */
  destroy(): Promise<void>
}

export interface OutgoingPorts {
  submission: number
  submissions: number
}

export function chooseOutgoingPorts(): Promise<OutgoingPorts> {
  return freePorts('submission', 'submissions')
}

/**
 * Port numbers that replace the placeholders in configuration templates of an outgoing mail server.
 */
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

/**
 * Adds the server's address and the function `destroy` to an outgoing mail server that this machine
 * runs.
 */
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
