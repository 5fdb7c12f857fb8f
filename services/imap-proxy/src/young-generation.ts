import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the part of the heap for new objects as small as it is at the start. Each login leaves some garbage, and V8 would answer with
 * room for 100 MB more, which it keeps: at thousands of sessions that wait in IDLE, more than all they hold themselves. What passes
 * through is not in it: the bytes of sockets are outside of the heap.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
