import { afterEach } from '@jest/globals'
import { type SmtpScript, type SmtpScriptOptions, startSmtpScript } from '@posthorn/testkit'

/** Starts scripted SMTP servers for tests. Each server is closed after the test that started it. */
export function smtpServers(): (options?: SmtpScriptOptions) => Promise<SmtpScript> {
  const servers: SmtpScript[] = []
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))
  return async (options) => {
    const started = await startSmtpScript(options)
    servers.push(started)
    return started
  }
}
