import { bearerError, type ClientLogin, decodeResponse, mechanisms } from '@posthorn/mail-frontend'
import type { SMTPServerAuthentication } from 'smtp-server'
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'

/** SASL mechanisms whose secret is a bearer token. */
const bearerMechanisms = ['XOAUTH2', 'OAUTHBEARER']
const controls = /[\u0000-\u001F\u007F-\u009F]/

/**
 * SMTP connection with AUTH XOAUTH2 and OAUTHBEARER (RFC 7628), which are decoded as in imap-proxy.
 *
 * Overrides internals of smtp-server 3.21, which has no OAUTHBEARER and no mechanisms of the
 * application. smtp-server accepts text around the fields of XOAUTH2, and reveals no reason for a
 * rejection.
 */
export class BearerConnection extends SMTPConnection {
  override handler_AUTH(command: Buffer, done: () => void): void {
    const [, name = '', ...responses] = command.toString().trim().split(/\s+/)
    const mechanism = name.toUpperCase()
    if (this.session.user || !bearerMechanisms.includes(mechanism))
      return super.handler_AUTH(command, done)
    const [initial] = responses
    if (responses.length > 1) this.send(501, `Error: syntax: AUTH ${mechanism} response`)
    else if (initial !== undefined) return this.#logIn(mechanism, initial, done)
    else {
      this._nextHandler = (line, next) => this.#logIn(mechanism, line.toString().trim(), next)
      this.send(334)
    }
    done()
  }

  #logIn(mechanism: string, response: string, done: () => void): void {
    const login = mechanisms.get(mechanism)?.(decodeResponse(response))
    if (response === '*' || !login || login.account === '' || controls.test(login.account)) {
      this.send(501, response === '*' ? 'Authentication aborted' : 'Error: invalid userdata')
      return done()
    }
    this._server.onAuth(authenticationOf(login), this.session, (error, result) => {
      if (error) this.#reject(mechanism, error)
      else {
        this.session.user = result?.user
        this.session.transmissionType = this._transmissionType()
        this.send(235, 'Authentication successful')
      }
      done()
    })
  }

  /**
   * Rejects an SMTP login with a bearer token. RFC 7628 §3.2.3: the client first gets an error of
   * the token, and answers the error before it gets the rejection.
   */
  #reject(mechanism: string, error: Error & { responseCode?: number }): void {
    const { responseCode = 535, message } = error
    if (responseCode !== 535) return this.send(responseCode, message)
    this._nextHandler = (_line, next) => {
      this.send(responseCode, message)
      next()
    }
    this.send(334, bearerError(mechanism))
  }
}

/**
 * Converts an SMTP login with a bearer token to the form of smtp-server. XOAUTH2 and OAUTHBEARER
 * have the same fields.
 */
function authenticationOf({ account, secret }: ClientLogin): SMTPServerAuthentication {
  return {
    method: 'XOAUTH2',
    username: account,
    accessToken: secret,
    validatePassword: () => false,
  }
}
