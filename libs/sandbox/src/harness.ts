/**
 * What stands between a function and us inside of the machine. It is evaluated before any function is: what it needs of the language it
 * keeps, so that functions that change the language change it for themselves alone. Its answers are strings, a letter and a text: text
 * put together from text runs nobody's code.
 *
 * - `t`, `f`: a filter's answer; `m`: it looked at more than the name of the event
 * - `v`: a map's value as JSON; `u`: it gave none
 * - `e`: the function failed, and why
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

  // The engine's own generator would begin each call with the same numbers: it is part of what is forgotten. This one is mulberry32.
  let seed = 0
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = imul(seed ^ (seed >>> 15), seed | 1)
    t ^= t + imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  const note = (level) => (...values) => {
    if (logs.length >= maxLogs) return
    try {
      logs += level + ' ' + stringify(values) + '\\n'
    } catch {
      logs += level + ' [no JSON]\\n'
    }
  }
  const logger = () => ({
    trace: note('trace'), debug: note('debug'), info: note('info'),
    warn: note('warn'), error: note('error'), fatal: note('fatal'), log: note('info'),
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
      const answer = fn(parse(json), logger(), parse(env))
      if (answer === true) return 't'
      if (answer === false || answer === undefined || answer === null) return 'f'
      if (typeof answer === 'object' && answer instanceof PromiseOf) return 'e' + async
      return 'e' + 'returned a value of type ' + typeof answer + ', which is neither true nor false'
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
      const made = stringify(value)
      return typeof made === 'string' ? 'v' + made : 'e' + 'returned what has no JSON'
    } catch (error) {
      return 'e' + describe(error)
    }
  }

  // Whatever may be different the next time counts as more than the name: other members, the clock, chance.
  const judge = (fn, event) => {
    let looked = false
    const look = () => {
      looked = true
      throw new Error('looked at more than the name')
    }
    const traps = {}
    for (const trap of ['apply', 'construct', 'defineProperty', 'deleteProperty', 'get', 'getOwnPropertyDescriptor',
      'getPrototypeOf', 'has', 'isExtensible', 'ownKeys', 'preventExtensions', 'set', 'setPrototypeOf'])
      traps[trap] = look
    const payload = new ProxyOf({}, { ...traps, get: (_, key) => (key === 'event' ? event : look()) })
    globalThis.Date = new ProxyOf(function () {}, traps)
    Math.random = look
    try {
      const answer = fn(payload, logger(), new ProxyOf({}, traps))
      if (looked) return 'm'
      if (answer === true) return 't'
      return answer === false || answer === undefined || answer === null ? 'f' : 'm'
    } catch {
      return 'm'
    }
  }

  const same = (fn, source) => (typeof fn === 'function' && sourceOf(fn) === source ? 't' : 'f')
  return (what, fn, a, b) => {
    if (what === 'logs') return logs
    if (what === 'seed') return void (seed = fn)
    if (what === 'filter') return filter(fn, a, b)
    if (what === 'map') return map(fn, a, b)
    if (what === 'judge') return judge(fn, a)
    return same(fn, a)
  }
})()`
