import type { Random } from '../../std/random.ts';
import type { Vault } from '../ports/vault.ts';

const REPLICA_ID = 'replica/id';
const REPLICA_INDEX = 'replica/index';
const FOUNDER = 0;

/** This host as one of the GSV's replicas: its id, and its own small number among them. */
export class Replica {
  readonly id: string;
  readonly #vault: Vault;
  #index: number;

  private constructor(vault: Vault, id: string, index: number) {
    this.#vault = vault;
    this.id = id;
    this.#index = index;
  }

  /** Reads who this is; a new host gets an id, which stays. Rejects when storage does. */
  static async load(vault: Vault, random: Random): Promise<Replica> {
    const known = await vault.get(REPLICA_ID);
    const id = known ?? random.uuid();
    if (known === undefined) await vault.put(REPLICA_ID, id);
    return new Replica(vault, id, Number((await vault.get(REPLICA_INDEX)) ?? FOUNDER));
  }

  /** The number by which its writes are told from other replicas'; a host that never joined is the founder, 0. */
  get index(): number {
    return this.#index;
  }

  /** Takes the number that the room has given. Resolves when it is stored. */
  async setIndex(index: number): Promise<void> {
    if (index === this.#index) return;
    await this.#vault.put(REPLICA_INDEX, String(index));
    this.#index = index;
  }
}
