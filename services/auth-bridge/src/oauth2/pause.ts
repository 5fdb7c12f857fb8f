import type { LastError } from '@posthorn/contracts'
import type { Holding, RefreshFailure } from '../store/oauth2-tokens.ts'
import { unreachableCode } from './token-failure.ts'

/**
 * How long a provider is left alone that gave no token, in milliseconds: as long as it has been so already, so that the time doubles from
 * question to question. A no is hardly ever taken back by itself, and an account asks at least every ten minutes; silence ends by itself.
 */
const pauses = {
  refused: { min: 5_000, max: 5 * 60_000 },
  silent: { min: 1_000, max: 30_000 },
}

/** Whether a provider may be asked again. Whoever comes before that is told what it said the last time. Pure. */
export function isOver({ error, lastedMs, agoMs }: RefreshFailure): boolean {
  const { min, max } = isSilence(error) ? pauses.silent : pauses.refused
  return agoMs >= Math.min(max, Math.max(min, lastedMs))
}

/**
 * So long a token is taken for what the provider has to give, in milliseconds. A mail server that refuses it would refuse the next one
 * as well, and every login of every mail client would ask for that.
 */
const restMs = 5 * 60_000

/** Whether a token has just come from the provider: that somebody says it was refused is no reason for another. Pure. */
export function isJustRenewed({ renewedAgoMs }: Pick<Holding, 'renewedAgoMs'>): boolean {
  return renewedAgoMs !== undefined && renewedAgoMs < restMs
}

function isSilence({ serverResponseCode }: LastError): boolean {
  return serverResponseCode === unreachableCode
}
