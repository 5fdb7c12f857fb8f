import type { SmtpMessage } from './message.ts'

/** A refusal: `{ code: 451, text: '4.7.1 greylisted' }`. */
export interface SmtpRefusal {
  code: number
  text: string
}

/**
 * What happens after the final dot. `undefined` accepts; a refusal refuses; `drop` closes the connection without a reply, having kept the
 * message (the sender cannot know) and `drop-unkept` without having kept it; `hang` keeps it and never replies.
 */
export type AfterData = SmtpRefusal | 'drop' | 'drop-unkept' | 'hang' | undefined

export interface SmtpLogin {
  method: string
  user: string
  password?: string
  accessToken?: string
}

/** Each is asked at its moment; what is left out accepts. Change them at any time: `server.behaviour.onData = …`. */
export interface SmtpBehaviour {
  onConnect?: (count: number) => SmtpRefusal | undefined
  onMailFrom?: (address: string) => SmtpRefusal | undefined
  onRecipient?: (address: string) => SmtpRefusal | undefined
  onData?: (message: SmtpMessage) => AfterData
  onLogin?: (login: SmtpLogin) => SmtpRefusal | undefined
}

/** A behaviour that refuses the first `count` times it is asked and accepts from then on. */
export function refuseTimes(count: number, refusal: SmtpRefusal): () => SmtpRefusal | undefined {
  let left = count
  return () => (left-- > 0 ? refusal : undefined)
}
