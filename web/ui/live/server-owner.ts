import { type Accessor, createSignal, onMount } from 'solid-js';

/** Whether the server that this page came from belongs to a GSV. Without a server, or until it has answered: false. */
export function createServerOwned(): Accessor<boolean> {
  const [owned, setOwned] = createSignal(false);
  onMount(async () => {
    const health: unknown = await fetch('/health')
      .then((response) => response.json())
      .catch(() => null);
    setOwned(typeof health === 'object' && health !== null && 'claimed' in health && health.claimed === true);
  });
  return owned;
}
