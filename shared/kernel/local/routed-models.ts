import type {
  ModelChoice,
  ModelDelta,
  ModelInfo,
  ModelOutcome,
  ModelRequest,
  Models,
} from '../ports/models.ts';
import { isLocal } from './engine-names.ts';

/** One port over the models of this device and those of the network; whoever asks cannot tell them apart. */
export class RoutedModels implements Models {
  readonly #local: Models;
  readonly #network: Models;

  constructor(local: Models, network: Models) {
    this.#local = local;
    this.#network = network;
  }

  generate(
    request: ModelRequest,
    onDelta: (delta: ModelDelta) => void,
    onStatus?: (text: string) => void,
  ): Promise<ModelOutcome> {
    return this.#of(request.choice).generate(request, onDelta, onStatus);
  }

  list(choice: Omit<ModelChoice, 'model'>): Promise<ModelInfo[]> {
    return this.#of(choice).list(choice);
  }

  describe(choice: Pick<ModelChoice, 'provider' | 'model'>) {
    return this.#of(choice).describe(choice);
  }

  relayed(choice: Pick<ModelChoice, 'provider' | 'baseUrl'>): boolean {
    return this.#of(choice).relayed(choice);
  }

  #of({ provider }: { provider: string }): Models {
    return isLocal(provider) ? this.#local : this.#network;
  }
}
