import { setFlagsFromString } from 'node:v8'

/**
 * Keeps V8's young generation at its initial size. Login garbage would make it grow by 100 MB,
 * which exceeds the memory of thousands of idle sessions. Relayed bytes are outside the heap.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
