/** For sockets: an error is followed by `close`, which is what is waited for; without a listener it would end the process. */
export function ignoreErrors(): void {}
