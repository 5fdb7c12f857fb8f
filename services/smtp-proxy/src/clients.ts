import type { KeyedSemaphore } from '@posthorn/flow'
import type { ClientSession, ClientSessions } from '@posthorn/mail-frontend'
import type { User } from './access.ts'
import { BearerConnection } from './bearer-connection.ts'

/** Enhanced status code at the start of the text of an SMTP reply (RFC 3463 §2). */
const enhancedCode = /^[245]\.\d{1,3}\.\d{1,3} /

/** Connection of one SMTP client. Replies of smtp-proxy keep their own enhanced status code. */
export class SmtpProxyConnection extends BearerConnection {
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    // Adds no enhanced status code to the reply with the queue id, whose text the interface spec
    // defines.
    const isOwn = context === 'DATA_OK' || (typeof data === 'string' && enhancedCode.test(data))
    super.send(code, data, isOwn ? false : context)
  }
}

/** Time limit of the login of an SMTP client, or of its first message if no login is required. */
const loginTimeoutMs = 60_000

/**
 * Connected SMTP clients that are not authenticated. Limits the number of these clients per
 * network, and the time until they log in or start a message.
 */
export class PendingClients {
  readonly #permits: KeyedSemaphore
  readonly #onAccepted = new WeakMap<object, () => void>()

  constructor(permits: KeyedSemaphore) {
    this.#permits = permits
  }

  /**
   * Returns a permit for an SMTP client that is not authenticated, or undefined if the client's
   * network has used all of its permits.
   */
  tryAcquire(network: string): Disposable | undefined {
    return this.#permits.tryAcquire(network)
  }

  /**
   * Starts the time limit in which an SMTP client must log in or start a message. `remove` ends the
   * time limit and releases the client's permit.
   */
  add(connection: SmtpProxyConnection, permit: Disposable): void {
    const timer = setTimeout(
      () => connection.send(421, '4.4.2 No login in time, closing connection'),
      loginTimeoutMs,
    )
    this.#onAccepted.set(connection.session, () => {
      clearTimeout(timer)
      permit[Symbol.dispose]()
    })
  }

  /** Removes an SMTP client that has authenticated, started a message or disconnected. */
  remove(session: object): void {
    this.#onAccepted.get(session)?.()
    this.#onAccepted.delete(session)
  }
}

interface AuthenticatedClient extends ClientSession {
  /**
   * True while a message of the SMTP client is in transfer. A busy client gets its reply before it
   * is disconnected; else the client would send the message twice.
   */
  isBusy: boolean
  /** Reason for which the SMTP client will be disconnected; absent while the session is valid. */
  endReason?: string
}

/**
 * SMTP clients that have logged in. Disconnects a client when its token or password becomes
 * invalid.
 */
export class AuthenticatedClients {
  readonly #sessions: ClientSessions
  readonly #clients = new WeakMap<object, AuthenticatedClient>()

  constructor(sessions: ClientSessions) {
    this.#sessions = sessions
  }

  /**
   * Adds an SMTP session. Calls `disconnect` once the session is invalid and no message of the
   * session is in flight.
   */
  add(session: object, user: User, disconnect: (reason: string) => void): void {
    const client: AuthenticatedClient = {
      ...user,
      isBusy: false,
      end(reason) {
        client.endReason ??= reason
        if (!client.isBusy) disconnect(client.endReason)
      },
    }
    this.remove(session)
    this.#clients.set(session, client)
    this.#sessions.add(client)
  }

  beginMessage(session: object): void {
    const client = this.#clients.get(session)
    if (client) client.isBusy = true
  }

  /**
   * Marks the end of a message of an SMTP session. Called after the reply to the message was sent.
   */
  endMessage(session: object): void {
    const client = this.#clients.get(session)
    if (!client) return
    client.isBusy = false
    if (client.endReason !== undefined) client.end(client.endReason)
  }

  remove(session: object): void {
    const client = this.#clients.get(session)
    if (client) this.#sessions.delete(client)
    this.#clients.delete(session)
  }
}
