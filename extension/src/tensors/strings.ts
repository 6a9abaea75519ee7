import { l10n } from "vscode";
import type { Strings } from "../../webview/tensors/protocol";

/** The page cannot reach `vscode.l10n`, so it gets its texts from here. */
export function pageStrings(): Strings {
  return {
    table: l10n.t("Tensors reachable from the paused frame"),
    filter: l10n.t("Filter by name, dtype, shape, device"),
    alarmsOnly: l10n.t("Show only tensors with an alarm"),
    sortBy: l10n.t("Sort by"),
    frameOrder: l10n.t("frame order"),
    ascending: l10n.t("Ascending"),
    descending: l10n.t("Descending"),
    name: l10n.t("name"),
    shape: l10n.t("shape"),
    dtype: l10n.t("dtype"),
    device: l10n.t("device"),
    bytes: l10n.t("size"),
    min: l10n.t("min"),
    max: l10n.t("max"),
    mean: l10n.t("mean"),
    alarm: l10n.t("alarm"),
    copy: l10n.t("Copy Expression"),
    watch: l10n.t("Add to Watch"),
    reveal: l10n.t("Go to Line"),
    someTensors: l10n.t("{0} of {1}"),
    truncated: l10n.t("list cut off"),
    partial: l10n.t("Only a part of the elements was seen in the time allowed."),
    sharesStorage: l10n.t("shares its storage with {0}"),
    noTensors: l10n.t("No tensor is reachable from this frame."),
    noMatch: l10n.t("No tensor matches the filter."),
    showMore: l10n.t("Show {0} more"),
  };
}
