/**
 * Subject of an error. `account`: login, connection or state of an account; `sending`: attempt to
 * send a message; `webhook`: call to a webhook target; `export`: export of messages; `api`:
 * response to an API request.
 */
export type AdviceKind = 'account' | 'sending' | 'webhook' | 'export' | 'api'

/**
 * Error to explain, such as a failed login or delivery. An absent member matches only rows of the
 * advice tables that do not test the member.
 */
export interface AdviceQuery {
  kind: AdviceKind
  /** State of the account that has the error: `state` or `stateDetail` of the account's record. */
  state?: string
  /**
   * Code of the error to explain: `serverResponseCode`, `errorCode`, `code` of an API error, or the
   * outcome of a webhook. Case is ignored.
   */
  code?: string
  /** HTTP status or SMTP reply code of the error to explain. */
  status?: number
  /** Text of the error response to explain. A foreign server can send any text. */
  response?: string
}

/** Explanation in plain English of an error, such as a failed login or webhook call. */
export interface Advice {
  /** Id of the explanation of an error, stable between releases. */
  id: string
  /** Meaning of the explained error, such as a failed login, for operators. */
  meaning: string
  /** Step that an operator should take next to remove the explained error. */
  action: string
  /** Explanation of the error for the owner of the account, without technical terms. */
  ownerText: string
  /**
   * Page of the user guides about the explained error, with an anchor if the answer is one section:
   * `send#what-can-go-wrong`.
   */
  guide?: string
}

/**
 * Row of an advice table, which explains errors. A row matches an error that fulfils all conditions
 * of the row.
 */
export interface AdviceRow extends Advice {
  states?: readonly string[]
  codes?: readonly string[]
  statuses?: readonly number[]
  /**
   * Pattern of the error response of a server, provider or API, without regard to case. Runs in
   * linear time.
   */
  text?: RegExp
  /**
   * Example of an error response of a mail server, provider or API that the pattern `text` matches.
   * Required with `text`.
   */
  example?: string
}

/** Sentence for owners of accounts in explanations of errors that resolve without their help. */
export const nothingToDo = 'You do not need to do anything.'
