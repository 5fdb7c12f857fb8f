/**
 * Code in the QuickJS instance that calls the functions of users. Evaluated before the functions.
 * Keeps references to the used built-ins, because functions may replace built-ins. Each result is a
 * string of a letter and a text, because concatenating strings runs no code of the function.
 *
 * - `t`, `f`: result of a filter; `m`: the filter read more than the name of the event
 * - `v`: value of a map as JSON; `u`: no value
 * - `e`: failure and reason
 */
export const harnessSource = `(function () {
  'use strict'
  const { parse, stringify } = JSON
  const { deleteProperty } = Reflect
  const { imul } = Math
  const PromiseOf = Promise
  const ProxyOf = Proxy
  const text = String
  const sourceOf = Function.prototype.call.bind(Function.prototype.toString)
  const maxLogs = 16384
  const async = 'returned a promise: functions cannot wait for anything'
  let logs = ''

  // Random numbers of QuickJS repeat, because its memory is restored before each call. This random
  // number generator (mulberry32) is seeded for each call instead.
  let seed = 0
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = imul(seed ^ (seed >>> 15), seed | 1)
    t ^= t + imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  const log = (level) => (...values) => {
    if (logs.length >= maxLogs) return
    try {
      logs += level + ' ' + stringify(values) + '\\n'
    } catch {
      logs += level + ' [no JSON]\\n'
    }
  }
  const logger = () => ({
    trace: log('trace'), debug: log('debug'), info: log('info'),
    warn: log('warn'), error: log('error'), fatal: log('fatal'), log: log('info'),
  })

  const describe = (error) => {
    try {
      if (typeof error !== 'object' || error === null) return 'threw ' + text(error)
      return text(error.name) + ': ' + text(error.message)
    } catch {
      return 'threw what cannot be shown'
    }
  }

  const filter = (fn, json, env) => {
    try {
      const result = fn(parse(json), logger(), parse(env))
      if (result === true) return 't'
      if (result === false || result === undefined || result === null) return 'f'
      if (typeof result === 'object' && result instanceof PromiseOf) return 'e' + async
      return 'e' + 'returned a value of type ' + typeof result + ', which is neither true nor false'
    } catch (error) {
      return 'e' + describe(error)
    }
  }

  const map = (fn, json, env) => {
    try {
      const payload = parse(json)
      const value = fn(payload, logger(), parse(env))
      if (!value) return 'u'
      if (typeof value === 'object' && value instanceof PromiseOf) return 'e' + async
      deleteProperty(payload, 'eventId')
      deleteProperty(payload, '_route')
      const output = stringify(value)
      return typeof output === 'string' ? 'v' + output : 'e' + 'returned what has no JSON'
    } catch (error) {
      return 'e' + describe(error)
    }
  }

  // A filter that reads other members of the event, the clock or random numbers has read more than
  // the name of the event, because its result may differ for the next event of the name.
  const match = (fn, event) => {
    let readMore = false
    const read = () => {
      readMore = true
      throw new Error('read more than the name')
    }
    const traps = {}
    for (const trap of ['apply', 'construct', 'defineProperty', 'deleteProperty', 'get', 'getOwnPropertyDescriptor',
      'getPrototypeOf', 'has', 'isExtensible', 'ownKeys', 'preventExtensions', 'set', 'setPrototypeOf'])
      traps[trap] = read
    const payload = new ProxyOf({}, { ...traps, get: (_, key) => (key === 'event' ? event : read()) })
    globalThis.Date = new ProxyOf(function () {}, traps)
    Math.random = read
    try {
      const result = fn(payload, logger(), new ProxyOf({}, traps))
      if (readMore) return 'm'
      if (result === true) return 't'
      return result === false || result === undefined || result === null ? 'f' : 'm'
    } catch {
      return 'm'
    }
  }

  const same = (fn, source) => (typeof fn === 'function' && sourceOf(fn) === source ? 't' : 'f')
  return (command, fn, a, b) => {
    if (command === 'logs') return logs
    if (command === 'seed') return void (seed = fn)
    if (command === 'filter') return filter(fn, a, b)
    if (command === 'map') return map(fn, a, b)
    if (command === 'match') return match(fn, a)
    return same(fn, a)
  }
})()`
