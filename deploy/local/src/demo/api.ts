/** A few calls of the API, as any program would make them. */
export interface Api {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
}

export function createApi(url: string, token: string): Api {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as T & { message?: string }
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${answer.message ?? ''}`)
    return answer
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
  }
}
