import { goOn, type Answer } from './command.ts'

/** RFC 9051 §6.1.1. AUTH=PLAIN is told before the login alone. */
export const answerCapability: Answer = ({ client, tag, canStartTls }) => {
  client.write(
    `* CAPABILITY IMAP4rev1 LITERAL+ SASL-IR ID AUTH=PLAIN${canStartTls ? ' STARTTLS' : ''}`,
    `${tag} OK CAPABILITY completed`,
  )
  return goOn
}
