import type { Answer } from './command.ts'

/** RFC 9051 §6.1.3 */
export const answerLogout: Answer = ({ client, tag }) => {
  client.write('* BYE Logging out', `${tag} OK LOGOUT completed`)
  return { do: 'close' }
}
