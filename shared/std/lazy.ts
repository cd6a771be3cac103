/** Loads something when it is first asked for, once. A load that failed is tried again when it is asked for again. */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((thrown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}
